//! The bounds on documents, tools and errors.

/// The longest document that is read, in bytes.
pub const MAX_TEXT: usize = 64 * 1024 * 1024;

/// The deepest nesting of arrays and objects in a document, in levels.
pub const MAX_NESTING: usize = 120;

/// The most values of a YAML document, with each use of an anchor counted in full.
pub const MAX_VALUES: usize = 4_000_000;

/// The most operations of a document that become tools. Later operations of a selection are omitted.
pub const MAX_OPERATIONS: usize = 10_000;

/// The most parameters of an operation. An operation with more is omitted.
pub const MAX_PARAMETERS: usize = 500;

/// The most members of a body that become arguments. A body with more is one argument, `body`.
pub const MAX_BODY_MEMBERS: usize = 500;

/// The longest chain of `$ref` that is followed.
pub const MAX_REFERENCES: usize = 32;

/// The largest schema of a tool's arguments or result, in bytes of JSON. A larger schema is simplified.
pub const MAX_SCHEMA: usize = 32 * 1024;

/// The most parts of schemas that are converted for a document, in each direction. Parts that operations share count for
/// each of them. Operations beyond the bound are omitted.
pub const MAX_CONVERSIONS: usize = 20_000_000;

/// The most entries of a list that is read for each operation, such as tags and media types.
pub const MAX_ENTRIES: usize = 100;

/// The most values of `enum`. A longer list is left out of the schema.
pub const MAX_CHOICES: usize = 1_000;

/// The longest value of `const`, `pattern` and the like in a schema, in bytes of JSON. A longer value is left out.
pub const MAX_KEYWORD: usize = 4_000;

/// The most different patterns of a document, in each direction. Later patterns are left out of the schemas.
pub const MAX_PATTERNS: usize = 2_000;

/// The longest name of a tool, in characters.
pub const MAX_NAME: usize = 64;

/// The longest title of a tool, in characters.
pub const MAX_TITLE: usize = 120;

/// The longest description of a tool, in characters.
pub const MAX_DESCRIPTION: usize = 2_000;

/// The longest description within a schema, in characters.
pub const MAX_MEMBER_DESCRIPTION: usize = 400;

/// The longest message about a response that is an error, in characters.
pub const MAX_ERROR: usize = 2_000;

/// The longest part of a value that an error repeats, in characters.
pub const MAX_SHOWN: usize = 80;

/// The most media types that a request accepts by name.
pub const MAX_ACCEPTED: usize = 4;
