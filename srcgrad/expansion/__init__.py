"""Taking derivative formulas apart: captures, folding, inlining, hidden outputs."""
