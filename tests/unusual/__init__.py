"""Programs in which one thing is out of the ordinary, compared with central differences."""
