"""Jacobians and Hessians, column by column or all columns at once."""
