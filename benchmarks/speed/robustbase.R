# Fit ltsReg or lmrob of robustbase, and time the fit alone.
# Arguments: method, rows, features, file of X (by columns) and y, file of the answer; seconds below
# which a fit is repeated, how often at least and at most; rows of the warm-up.
# The answer: seconds, runs, megabytes (or NaN), intercept, coefficients.
suppressMessages(library(robustbase))
arguments <- commandArgs(trailingOnly = TRUE)
method <- arguments[1]
n <- as.numeric(arguments[2]); d <- as.numeric(arguments[3])
short <- as.numeric(arguments[6]); fewest <- as.numeric(arguments[7]); most <- as.numeric(arguments[8])
warm <- as.numeric(arguments[9])

source <- file(arguments[4], "rb")
X <- matrix(readBin(source, "double", n * d), n, d)
y <- readBin(source, "double", n)
close(source)

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

invisible(fit(X[1:warm, ], y[1:warm]))
invisible(gc(full = TRUE))
try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
before <- high_water_mark()
once <- function() {
  started <- proc.time()[["elapsed"]]
  model <<- fit(X, y)
  proc.time()[["elapsed"]] - started
}
seconds <- once()
megabytes <- high_water_mark() - before
runs <- if (seconds >= short) 1 else floor(min(max(1 / max(seconds, 1e-9), fewest), most))
for (again in seq_len(runs - 1)) seconds <- min(seconds, once())
answer <- file(arguments[5], "wb")
writeBin(as.double(c(seconds, runs, megabytes, coef(model))), answer)
close(answer)
