//! The bounds of schemas, of the cost of a check, and of the length of its errors.

/// The longest schema, in bytes of JSON without white space.
pub const SCHEMA_BYTES: usize = 1 << 20;

/// The deepest nesting of a schema, in levels of objects and arrays.
pub const SCHEMA_DEPTH: usize = 128;

/// The most schemas that a schema may hold, including itself and those in its `$defs`.
pub const SUBSCHEMAS: usize = 10_000;

/// The most regular expressions that a schema may hold, in `pattern` and `patternProperties` together.
pub const PATTERNS: usize = 128;

/// The largest regular expression once it is compiled, in bytes.
pub const PATTERN_BYTES: usize = 512 << 10;

/// The most schemas that may apply to the same value, through `$ref`, `allOf` and the like. A schema that is reached in two ways
/// counts twice.
pub const APPLIED_SCHEMAS: u64 = 4096;

/// The most `$ref`, `allOf` and the like that may lead from one schema to another that applies to the same value.
pub const APPLIED_DEPTH: usize = 64;

/// The maximum cost of checking a value, in steps. A step is about one look at a value or a member of a value.
/// [`STEPS_PER_BYTE`] more are allowed for each byte of the value.
pub const STEPS: u64 = 1_000_000;

/// The number of steps by which each byte of a value raises the limit of [`STEPS`].
pub const STEPS_PER_BYTE: u64 = 64;

/// The cost of one error while errors are collected, in steps, because an error holds memory.
pub const STEPS_PER_ERROR: u64 = 250;

/// The maximum use of its thread's stack by a check, in bytes.
pub const STACK_BYTES: usize = 512 << 10;

/// The most errors that are reported for one value.
pub const ERRORS_TOLD: usize = 5;

/// The longest text of one error, in characters.
pub const ERROR_CHARS: usize = 300;

/// The longest part of a value, or of its place, that an error shows, in characters.
pub const VALUE_CHARS: usize = 80;
