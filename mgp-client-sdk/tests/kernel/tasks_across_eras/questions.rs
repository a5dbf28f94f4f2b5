//! Whose a task is.
