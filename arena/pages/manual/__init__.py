"""The manual: pages in Markdown from the folder `docs`, shown in the site's own layout."""
