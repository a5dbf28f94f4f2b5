//! The arguments of a handler, all together.

use crate::{Call, ToolError, from_call::FromCall, needs::Needs};
use std::future::Future;

/// A tuple of extractors.
pub trait Extractors: Sized + Send + 'static {
    /// Collects the needs of each extractor.
    fn needs(needs: &mut Needs);

    /// Reads the values from a call, in their order.
    fn from_call(call: &Call) -> impl Future<Output = Result<Self, ToolError>> + Send;
}

macro_rules! extractors {
    ($($extractor:ident $value:ident),*) => {
        impl<$($extractor),*> Extractors for ($($extractor,)*)
        where
            $($extractor: FromCall + Send + 'static,)*
        {
            fn needs(needs: &mut Needs) {
                $($extractor::needs(needs);)*
            }

            async fn from_call(call: &Call) -> Result<Self, ToolError> {
                $(let $value = $extractor::from_call(call).await.map_err(Into::into)?;)*
                Ok(($($value,)*))
            }
        }
    };
}

impl Extractors for () {
    fn needs(_: &mut Needs) {}

    async fn from_call(_: &Call) -> Result<Self, ToolError> {
        Ok(())
    }
}

extractors!(A a);
extractors!(A a, B b);
extractors!(A a, B b, C c);
extractors!(A a, B b, C c, D d);
extractors!(A a, B b, C c, D d, E e);
extractors!(A a, B b, C c, D d, E e, G g);
extractors!(A a, B b, C c, D d, E e, G g, H h);
extractors!(A a, B b, C c, D d, E e, G g, H h, I i);
