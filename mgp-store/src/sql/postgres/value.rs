//! Values as PostgreSQL's types.

use crate::sql::Value;
use bytes::BytesMut;
use std::error::Error;
use tokio_postgres::{
    Row,
    types::{IsNull, ToSql, Type, to_sql_checked},
};

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) if *kind == Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
            Self::Integer(number) if *kind == Type::INT8 => number.to_sql(kind, out),
            Self::Text(text) if <&str as ToSql>::accepts(kind) => (&**text).to_sql(kind, out),
            Self::Bytes(bytes) if *kind == Type::BYTEA => (&**bytes).to_sql(kind, out),
            value => Err(format!("{} was given for a column of type {kind}", value.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Returns the value of a column.
pub(super) fn value(row: &Row, at: usize, kind: &Type) -> Result<Value<'static>, tokio_postgres::Error> {
    Ok(match *kind {
        Type::INT8 => row.try_get::<_, Option<i64>>(at)?.map_or(Value::Null, Value::Integer),
        Type::INT4 => {
            row.try_get::<_, Option<i32>>(at)?.map_or(Value::Null, |number| Value::Integer(number.into()))
        }
        Type::BOOL => row.try_get::<_, Option<bool>>(at)?.into(),
        Type::BYTEA => {
            row.try_get::<_, Option<Vec<u8>>>(at)?.map_or(Value::Null, |bytes| Value::Bytes(bytes.into()))
        }
        _ => row.try_get::<_, Option<String>>(at)?.into(),
    })
}
