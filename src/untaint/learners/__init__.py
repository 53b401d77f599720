"""What all fitted kernel estimators share: prediction, storage and validation of a function."""
