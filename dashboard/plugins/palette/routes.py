"""The route that names the queries of a collection, asked for when the palette is opened."""

from __future__ import annotations

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.errors import DataError
from dashboard.storage.collection import open_collection
from dashboard.storage.folders import find_data, list_collections

MAX_NAMED = 5_000
"""Queries that are sent."""


async def list_queries(request: Request) -> JSONResponse:
    """Answer with the id and the name of each query of a collection; 404 if it is unknown."""
    name = request.path_params["collection"]
    if name not in list_collections():
        return JSONResponse({"error": "There is no such collection."}, 404)
    try:
        collection = await anyio.to_thread.run_sync(lambda: open_collection(find_data() / name))
    except DataError as error:
        return JSONResponse({"error": str(error)}, 409)
    named = zip(collection.queries.ids, collection.query_names, strict=True)
    return JSONResponse([each for each, _ in zip(named, range(MAX_NAMED), strict=False)])


ROUTES = (Route("/palette/{collection}", list_queries),)
