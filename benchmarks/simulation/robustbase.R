# Fit lmrob or ltsReg of robustbase to many samples of the same size.
# Arguments: method, samples, rows, features, file of all samples (X by columns, then y), file of
# the answer: intercept and coefficients of each sample, or NaN where a fit failed.
suppressMessages(library(robustbase))
arguments <- commandArgs(trailingOnly = TRUE)
method <- arguments[1]
count <- as.numeric(arguments[2]); n <- as.numeric(arguments[3]); d <- as.numeric(arguments[4])

fit <- function(X, y) {
  set.seed(0)
  found <- if (method == "ltsreg") ltsReg(X, y) else lmrob(y ~ X)
  as.double(coef(found))
}

source <- file(arguments[5], "rb")
answer <- file(arguments[6], "wb")
for (sample in seq_len(count)) {
  X <- matrix(readBin(source, "double", n * d), n, d)
  y <- readBin(source, "double", n)
  found <- tryCatch(suppressWarnings(fit(X, y)), error = function(e) rep(NaN, d + 1))
  writeBin(found, answer)
}
close(source)
close(answer)
