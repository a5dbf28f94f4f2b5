//! Macros that write the repeated parts of wire types: spellings, open objects, methods as types.

/// Implements display, serialisation and schema for both kinds of enum below, through `as_str`. The schema's `key`
/// lists the spellings.
macro_rules! written_as_str {
    ($name:ident, $key:literal: [$($text:literal),+]) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", $key: [$($text),+] })
            }
        }
    };
}

/// Defines an enum whose variants have one spelling each on the wire. Further spellings are read, but never written.
macro_rules! spelled {
    ($(#[$meta:meta])* pub enum $name:ident as $what:literal {
        $($(#[$variant_meta:meta])* $variant:ident = $text:literal $(| $alias:literal)*,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every variant, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($text $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownName::new($what, name, &[$($text),+])),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        written_as_str!($name, "enum": [$($text),+]);
    };
}

/// Like `spelled!`, with one more variant that keeps unknown names.
macro_rules! spelled_open {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $text:literal $(| $alias:literal)*,)+
    } else $(#[$other_meta:meta])* $other:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
            $(#[$other_meta])*
            $other(String),
        }

        impl $name {
            /// Every variant that the specification names, in its order.
            pub const STANDARD: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::$other(name) => name,
                }
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                match name {
                    $($text $(| $alias)* => Self::$variant,)+
                    _ => Self::$other(name.to_owned()),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from(name.as_str()))
            }
        }

        written_as_str!($name, "examples": [$($text),+]);
    };
}

/// Defines a struct that keeps unknown members.
///
/// serde's own `flatten` cannot: it rebuilds the values that it keeps and damages large numbers. A field is `required`,
/// `optional` (an `Option`), `raw` (an optional raw value for which `null` is a value), `list` (a `Vec` that is not
/// written when empty) or `items` (a `Vec` that is always written). `lenient` is like `optional`, and `lenient_list`
/// like `list`, for members that describe an entry of a list: a value of another form does not fail the entry, but
/// counts as absent and stays among the unknown members. With `described` in front, the struct also has a JSON Schema.
macro_rules! open_object {
    (described $(#[doc = $doc:literal])+ $(#[derive($($derived:ident),+)])? pub struct $name:ident {
        $($(#[doc = $field_doc:literal])+ $kind:ident $field:ident: $ty:ty = $key:literal,)+
    }) => {
        open_object! {
            $(#[doc = $doc])+
            $(#[derive($($derived),+)])?
            pub struct $name { $($(#[doc = $field_doc])+ $kind $field: $ty = $key,)+ }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut members = $crate::json::SchemaMembers::default();
                $(members.add(
                    $key,
                    generator.subschema_for::<open_object!(@member $kind $ty)>(),
                    concat!($($field_doc),+),
                    open_object!(@always $kind),
                );)+
                members.of_object(concat!($($doc),+))
            }
        }
    };
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* $kind:ident $field:ident: $ty:ty = $key:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: open_object!(@type $kind $ty),)+
            /// Members that this version does not know, as they were read.
            pub other: $crate::json::RawObject,
        }

        impl $name {
            /// Takes the known members out of an object; the others are kept as they are.
            ///
            /// # Errors
            /// [`JsonError`](crate::json::JsonError) naming the member that is missing or has another form.
            pub fn from_object(
                mut object: $crate::json::RawObject,
            ) -> Result<Self, $crate::json::JsonError> {
                Ok(Self { $($field: open_object!(@read $kind object, $key),)+ other: object })
            }

            /// Writes the members into a map that is being serialised.
            pub(crate) fn write_members<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(open_object!(@write $kind map, self.$field, $key);)+
                // A member set by hand must not duplicate the field of the same name.
                for (key, value) in self.other.iter().filter(|(key, _)| !self.has_written(key)) {
                    map.serialize_entry(key, value)?;
                }
                Ok(())
            }

            /// Returns whether a field has written the value of a key.
            fn has_written(&self, key: &str) -> bool {
                match key {
                    $($key => open_object!(@written $kind self.$field),)+
                    _ => false,
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                self.write_members(&mut map)?;
                serde::ser::SerializeMap::end(map)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let object = <$crate::json::RawObject as serde::Deserialize>::deserialize(deserializer)?;
                Self::from_object(object).map_err(serde::de::Error::custom)
            }
        }
    };
    (@member list $ty:ty) => { Vec<$ty> };
    (@member lenient_list $ty:ty) => { Vec<$ty> };
    (@member items $ty:ty) => { Vec<$ty> };
    (@member $kind:ident $ty:ty) => { $ty };
    (@always required) => { true };
    (@always items) => { true };
    (@always $kind:ident) => { false };
    (@type required $ty:ty) => { $ty };
    (@type optional $ty:ty) => { Option<$ty> };
    (@type raw $ty:ty) => { Option<$ty> };
    (@type lenient $ty:ty) => { Option<$ty> };
    (@type list $ty:ty) => { Vec<$ty> };
    (@type lenient_list $ty:ty) => { Vec<$ty> };
    (@type items $ty:ty) => { Vec<$ty> };
    (@read required $object:ident, $key:literal) => {
        $object.take($key)?.ok_or($crate::json::JsonError::Missing($key))?
    };
    (@read optional $object:ident, $key:literal) => { $object.take::<Option<_>>($key)?.flatten() };
    (@read lenient $object:ident, $key:literal) => { $object.take_readable::<Option<_>>($key).flatten() };
    (@read lenient_list $object:ident, $key:literal) => {
        $object.take_readable::<Option<Vec<_>>>($key).flatten().unwrap_or_default()
    };
    // Raw JSON: `null` is a value of its own, not the absence of one.
    (@read raw $object:ident, $key:literal) => { $object.remove($key) };
    (@read list $object:ident, $key:literal) => {
        $object.take::<Option<Vec<_>>>($key)?.flatten().unwrap_or_default()
    };
    (@read items $object:ident, $key:literal) => { open_object!(@read list $object, $key) };
    (@write required $map:ident, $value:expr, $key:literal) => { $map.serialize_entry($key, &$value)? };
    (@write optional $map:ident, $value:expr, $key:literal) => {
        if let Some(value) = &$value { $map.serialize_entry($key, value)?; }
    };
    (@write lenient $map:ident, $value:expr, $key:literal) => {
        open_object!(@write optional $map, $value, $key)
    };
    (@write lenient_list $map:ident, $value:expr, $key:literal) => {
        open_object!(@write list $map, $value, $key)
    };
    (@write raw $map:ident, $value:expr, $key:literal) => {
        open_object!(@write optional $map, $value, $key)
    };
    (@write list $map:ident, $value:expr, $key:literal) => {
        if !$value.is_empty() { $map.serialize_entry($key, &$value)?; }
    };
    // A list that is written even when it is empty.
    (@write items $map:ident, $value:expr, $key:literal) => { $map.serialize_entry($key, &$value)? };
    (@written lenient $value:expr) => { $value.is_some() };
    (@written lenient_list $value:expr) => { !$value.is_empty() };
    (@written $kind:ident $value:expr) => { true };
}

/// Defines requests as types. `control` marks those that run no tool (see [`Control`](crate::rpc::Control)).
macro_rules! calls {
    ($($(#[$meta:meta])* $kind:ident $name:ident = $method:literal: $params:ty => $result:ty;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl $crate::rpc::Call for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
            type Result = $result;
        }
        calls!(@$kind $name);
    )+};
    (@call $name:ident) => {};
    (@control $name:ident) => { impl $crate::rpc::Control for $name {} };
}

/// Defines notifications as types.
macro_rules! notices {
    ($($(#[$meta:meta])* $name:ident = $method:literal: $params:ty;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl $crate::rpc::Notice for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
        }
    )+};
}
