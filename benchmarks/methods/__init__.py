"""Methods by name: every module has a table METHODS of what its studies compare.

``regression``, ``linear``, ``classification``   tuned alike, by :mod:`benchmarks.tuning`
``search``         without knowledge of the contamination, with equal budgets of settings
``defaults``       at the settings that a user would type, for the simulation
``noisy``, ``noisy_classes``, ``streams``, ``fourier``, ``algorithm2``   from noisy features
``detection``      outlier scores
"""
