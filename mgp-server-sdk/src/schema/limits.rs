//! The bounds of schemas, of what a check costs, and of what is told of its errors.

/// The longest schema, in bytes of JSON without white space.
pub const SCHEMA_BYTES: usize = 1 << 20;

/// How deep a schema may nest, in levels of objects and arrays.
pub const SCHEMA_DEPTH: usize = 128;

/// How many schemas a schema may hold, itself and those in its `$defs` among them.
pub const SUBSCHEMAS: usize = 10_000;

/// How many regular expressions a schema may hold, in `pattern` and `patternProperties` together.
pub const PATTERNS: usize = 128;

/// The largest regular expression once it is compiled, in bytes.
pub const PATTERN_BYTES: usize = 512 << 10;

/// How many schemas may apply to one and the same value, through `$ref`, `allOf` and the like. One that is reached in two ways
/// counts twice.
pub const APPLIED_SCHEMAS: u64 = 4096;

/// How many `$ref`, `allOf` and the like may lead from one schema to another that applies to the same value.
pub const APPLIED_DEPTH: usize = 64;

/// What checking a value may cost, in steps: each is about one look at a value or a member of it. [`STEPS_PER_BYTE`] are added
/// for each byte of the value.
pub const STEPS: u64 = 1_000_000;

/// What each byte of a value adds to what checking it may cost, in steps.
pub const STEPS_PER_BYTE: u64 = 64;

/// What one error costs while errors are collected, in steps: it holds memory.
pub const STEPS_PER_ERROR: u64 = 250;

/// How much of its thread's stack a check may take, in bytes.
pub const STACK_BYTES: usize = 512 << 10;

/// How many errors are told of one value.
pub const ERRORS_TOLD: usize = 5;

/// The longest text of one error, in characters.
pub const ERROR_CHARS: usize = 300;

/// How much of a value, or of its place, is told in an error, in characters.
pub const VALUE_CHARS: usize = 80;
