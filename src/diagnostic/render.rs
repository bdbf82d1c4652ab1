//! Renderings of findings.
