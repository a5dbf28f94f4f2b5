//! The names by which the runtime and its library find members: special names, and names of helpers.

use crate::code_safety::{capability::Capability, policy::Policy};

/// The special methods that a class may define although they must not be read, and the special names of a module.
const DEFINED: [&str; 22] = [
    "__getattr__",
    "__setattr__",
    "__delattr__",
    "__dir__",
    "__set_name__",
    "__class_getitem__",
    "__getstate__",
    "__setstate__",
    "__get__",
    "__set__",
    "__delete__",
    "__slots__",
    "__module__",
    "__file__",
    "__main__",
    "__all__",
    "__date__",
    "__credits__",
    "__license__",
    "__email__",
    "__status__",
    "__init__",
];

/// The members whose texts make library functions read or set other members.
const HELPERS: [&str; 7] =
    ["_fields", "_attributes", "attrname", "_attr_type", "_cls_type", "_stream", "_field_types"];

/// Returns whether code that reads, sets or defines a name reaches the internals of the runtime.
pub(super) fn is_internal(policy: &Policy, name: &str) -> bool {
    let capability = policy.member(name);
    let is_special = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    if is_special && !DEFINED.contains(&name) {
        return !policy.is_plain_member(name) && !is_operator(name)
            || capability.is_some_and(|capability| capability != Capability::Harmless);
    }
    !is_special && capability == Some(Capability::Reflection)
}

/// Returns whether binding a name makes a library function read or set other members.
pub(super) fn is_read_by_helpers(name: &str) -> bool {
    HELPERS.contains(&name)
}

/// Returns whether a name is that of an operator's method, which does only what the code states.
fn is_operator(name: &str) -> bool {
    let bare = name.trim_matches('_');
    let bare = bare.strip_prefix(['r', 'i']).filter(|rest| OPERATORS.contains(rest)).unwrap_or(bare);
    OPERATORS.contains(&bare)
}

/// The names of operators' methods, without the underscores and prefixes.
const OPERATORS: [&str; 27] = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "divmod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "neg",
    "pos",
    "abs",
    "invert",
    "trunc",
    "floor",
    "ceil",
    "complex",
    "length_hint",
    "del",
    "sizeof",
    "fspath",
    "unicode",
];

/// Returns whether a text consists only of names, and one of them leads to the internals of the runtime.
pub(super) fn names_internals(policy: &Policy, text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_between = |c: char| c.is_whitespace() || c == ',' || c == '.';
    text.chars().all(|c| is_name(c) || is_between(c))
        && text.split(is_between).any(|word| is_internal(policy, word) || is_read_by_helpers(word))
}
