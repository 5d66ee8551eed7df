"""Generated code, and the use of it by others than it was generated for."""
