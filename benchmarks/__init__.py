"""The studies behind the published numbers; see README.md.

A case is dataset x corruption x share x method x seed, a result is a flat row of a CSV file::

    python -m benchmarks NAME [--seeds 10] [--jobs 1] [--out results/NAME.csv] [--quick]
"""
