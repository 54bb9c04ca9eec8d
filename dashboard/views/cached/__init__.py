"""The command line's functions, remembered between reruns; the only place with st.cache_*.

Tables are shared between sessions and must not be changed by who gets them. What a result depends
on is its key: a `Question` of plain values with the content digest of its collection.
"""

from dashboard.views.cached.alike import Alike, alike, copies
from dashboard.views.cached.judged import (
    TYPED,
    Evidence,
    Question,
    evidence,
    judgement,
    needs_text_model,
    queries,
    query_keywords,
    question,
    required_keywords,
    run,
    unlike,
)
from dashboard.views.cached.measured import (
    against,
    comparison,
    counts,
    known_slices,
    means,
    measurements,
    pairs,
    slice_means,
    slices,
    stability,
    turned,
)
from dashboard.views.cached.opened import (
    collection,
    collection_names,
    keywords_of,
    load_text_model,
    media_of,
    opened,
    opened_as,
    query_names,
    text_model,
    titles,
)
from dashboard.views.cached.why import causes, ideal, whole_run

__all__ = [
    "Alike",
    "Evidence",
    "Question",
    "TYPED",
    "against",
    "alike",
    "causes",
    "collection",
    "collection_names",
    "comparison",
    "copies",
    "counts",
    "evidence",
    "ideal",
    "judgement",
    "keywords_of",
    "known_slices",
    "load_text_model",
    "means",
    "measurements",
    "media_of",
    "needs_text_model",
    "opened",
    "opened_as",
    "pairs",
    "queries",
    "query_keywords",
    "query_names",
    "question",
    "required_keywords",
    "run",
    "slice_means",
    "slices",
    "stability",
    "text_model",
    "titles",
    "turned",
    "unlike",
    "whole_run",
]
