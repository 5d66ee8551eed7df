"""PyTorch's table of derivatives, written as formulas."""
