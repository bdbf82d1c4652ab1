//! Tests over whole projections.
