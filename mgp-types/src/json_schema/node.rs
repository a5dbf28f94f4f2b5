//! Values in the form that the validator reads, with a meter that is charged for each access.

use super::meter::Meter;
use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, cmp, unique},
};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// The kind of values whose every access is charged.
pub(super) struct MeteredKind;

/// One value.
#[derive(Clone, Copy)]
pub(super) struct MeteredValue<'a> {
    value: &'a Value,
    /// `None` for a name, which was charged as a member.
    meter: Option<&'a Meter>,
}

/// The number of bytes of a text that one step pays for.
const BYTES_A_STEP: usize = 64;

impl<'a> MeteredValue<'a> {
    pub(super) fn new(value: &'a Value, meter: &'a Meter) -> Self {
        Self { value, meter: Some(meter) }
    }

    /// Returns the value if the budget suffices.
    fn seen(&self, steps: u64) -> Option<&'a Value> {
        self.meter.is_none_or(|meter| meter.pay(steps)).then_some(self.value)
    }

    fn part(&self, value: &'a Value) -> Option<Self> {
        self.meter.is_none_or(Meter::pay_part).then_some(Self { value, ..*self })
    }
}

impl Json for MeteredKind {
    type Node<'a> = MeteredValue<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Value, string: &str, f: impl FnOnce(MeteredValue<'_>) -> T) -> T {
        *buffer = Value::String(string.to_owned());
        f(MeteredValue { value: buffer, meter: None })
    }
}

impl<'a> Node<'a, MeteredKind> for MeteredValue<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<Members<'a>> {
        self.seen(1)?.as_object().map(|members| Members { members, of: *self })
    }

    fn as_array(&self) -> Option<Items<'a>> {
        self.seen(1)?.as_array().map(|items| Items { items, of: *self })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.value.as_str()?;
        self.seen(1 + (text.len() / BYTES_A_STEP) as u64)?;
        Some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<&'a Number> {
        self.seen(1)?.as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.seen(1)?.as_bool()
    }

    fn is_null(&self) -> bool {
        self.json_type() == JsonType::Null
    }

    fn json_type(&self) -> JsonType {
        match self.seen(1) {
            None | Some(Value::Null) => JsonType::Null,
            Some(Value::Bool(_)) => JsonType::Boolean,
            Some(Value::Number(_)) => JsonType::Number,
            Some(Value::String(_)) => JsonType::String,
            Some(Value::Array(_)) => JsonType::Array,
            Some(Value::Object(_)) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.seen(1).is_some_and(|value| cmp::equal(value, expected))
    }

    /// Used for errors only. An error finds its value again by the place, so that a large value is not copied into each error; a name has
    /// no place.
    fn to_value(&self) -> Cow<'a, Value> {
        match self.meter {
            Some(meter) => {
                meter.pay_error();
                Cow::Owned(Value::Null)
            }
            None => Cow::Borrowed(self.value),
        }
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.value).addr()))
    }
}

/// The members of an object.
pub(super) struct Members<'a> {
    members: &'a Map<String, Value>,
    of: MeteredValue<'a>,
}

impl<'a> Object<'a, MeteredKind> for Members<'a> {
    type Node = MeteredValue<'a>;
    type MemberName = &'a str;
    type MembersIter = EachMember<'a>;

    fn len(&self) -> usize {
        self.members.len()
    }

    fn get(&self, key: &String) -> Option<MeteredValue<'a>> {
        self.members.get(key).and_then(|value| self.of.part(value))
    }

    fn members(&self) -> EachMember<'a> {
        EachMember { members: self.members.iter(), of: self.of }
    }
}

pub(super) struct EachMember<'a> {
    members: serde_json::map::Iter<'a>,
    of: MeteredValue<'a>,
}

impl<'a> Iterator for EachMember<'a> {
    type Item = (&'a str, MeteredValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.members.next()?;
        Some((name, self.of.part(value)?))
    }
}

/// The items of an array.
pub(super) struct Items<'a> {
    items: &'a [Value],
    of: MeteredValue<'a>,
}

impl<'a> Array<'a, MeteredKind> for Items<'a> {
    type Node = MeteredValue<'a>;
    type ElementsIter = EachItem<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> EachItem<'a> {
        EachItem { items: self.items.iter(), of: self.of }
    }

    fn is_unique(&self) -> bool {
        // The comparison reads everything in the items.
        let cost: u64 = self.items.iter().map(size).sum();
        self.of.seen(cost).is_none() || unique::is_unique(self.items)
    }
}

pub(super) struct EachItem<'a> {
    items: std::slice::Iter<'a, Value>,
    of: MeteredValue<'a>,
}

impl<'a> Iterator for EachItem<'a> {
    type Item = MeteredValue<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next().and_then(|value| self.of.part(value))
    }
}

/// Returns the cost of reading all of a value, in steps.
fn size(value: &Value) -> u64 {
    1 + match value {
        Value::String(text) => (text.len() / BYTES_A_STEP) as u64,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
