"""The verifier looks at what each pass makes, in all tests."""

from srcgrad.ir import verify

verify.enabled = True
