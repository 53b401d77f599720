# Fit ltsReg or lmrob of robustbase to samples of the same size.
# Arguments: method, samples, rows, features, file of all samples (X by columns, then y), file of
# the answer; seconds below which a fit is repeated, how often at least and at most; rows of a
# warm-up.
# The answer, for each sample: seconds, runs, megabytes, intercept and coefficients. With a warm-up
# fits are timed, and one that fails ends the script; without, it gives NaN for the coefficients.
suppressMessages(library(robustbase))
arguments <- commandArgs(trailingOnly = TRUE)
method <- arguments[1]
numbers <- as.numeric(arguments[c(2:4, 7:10)])
count <- numbers[1]; n <- numbers[2]; d <- numbers[3]
short <- numbers[4]; fewest <- numbers[5]; most <- numbers[6]; warm <- numbers[7]

fit <- function(X, y) {
  set.seed(0)
  if (method == "ltsreg") ltsReg(X, y) else lmrob(y ~ X)
}

high_water_mark <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NaN)
  line <- grep("^VmHWM:", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

timed <- function(X, y) {
  invisible(fit(X[1:warm, ], y[1:warm]))
  invisible(gc(full = TRUE))
  try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
  before <- high_water_mark()
  model <- NULL
  once <- function() {
    started <- proc.time()[["elapsed"]]
    model <<- fit(X, y)
    proc.time()[["elapsed"]] - started
  }
  seconds <- once()
  megabytes <- high_water_mark() - before
  runs <- if (seconds >= short) 1 else floor(min(max(1 / max(seconds, 1e-9), fewest), most))
  for (again in seq_len(runs - 1)) seconds <- min(seconds, once())
  c(seconds, runs, megabytes, coef(model))
}

untimed <- function(X, y) {
  found <- tryCatch(suppressWarnings(coef(fit(X, y))), error = function(e) rep(NaN, d + 1))
  c(NaN, 1, NaN, found)
}

source <- file(arguments[5], "rb")
answer <- file(arguments[6], "wb")
for (sample in seq_len(count)) {
  X <- matrix(readBin(source, "double", n * d), n, d)
  y <- readBin(source, "double", n)
  writeBin(as.double(if (warm > 0) timed(X, y) else untimed(X, y)), answer)
}
close(source)
close(answer)
