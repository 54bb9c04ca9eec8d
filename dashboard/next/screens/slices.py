"""Where is the candidate better or worse than the baseline?"""

from dashboard.next.views.frame import open_page

study, choices = open_page("baseline", "candidate", "metric")
