"""Every read of the atlas."""
