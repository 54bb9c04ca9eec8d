"""What a link asks for: the one value that every screen is drawn from."""

from dashboard.views.address.choices import View as View
