//! Schemas and values, hostile ones among them.
