//! Plain async functions as handlers.

use crate::{Call, ToolError, extract::FromCall, needs::Needs};
use futures_util::future::BoxFuture;
use std::{future::Future, sync::Arc};

/// An async function whose arguments are extractors: up to eight of them.
///
/// Implemented for functions and closures; nobody implements it by hand. `M` is the tuple of the extractors, which tells
/// functions with different arguments apart.
pub trait Handler<M>: Clone + Send + Sync + 'static {
    /// What the function answers.
    type Output: Send + 'static;

    /// Collects what the extractors need.
    fn needs(needs: &mut Needs);

    /// Runs the extractors, then the function.
    fn run(&self, call: Call) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static;
}

macro_rules! handler {
    ($($extractor:ident $value:ident),*) => {
        impl<F, Fut, $($extractor),*> Handler<($($extractor,)*)> for F
        where
            F: Fn($($extractor),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output: Send + 'static> + Send + 'static,
            $($extractor: FromCall + Send + 'static,)*
        {
            type Output = Fut::Output;

            #[allow(unused_variables)]
            fn needs(needs: &mut Needs) {
                $($extractor::needs(needs);)*
            }

            fn run(
                &self,
                call: Call,
            ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send + 'static {
                let function = self.clone();
                async move {
                    $(let $value = $extractor::from_call(&call).await.map_err(Into::into)?;)*
                    drop(call);
                    Ok(function($($value),*).await)
                }
            }
        }
    };
}

handler!();
handler!(A a);
handler!(A a, B b);
handler!(A a, B b, C c);
handler!(A a, B b, C c, D d);
handler!(A a, B b, C c, D d, E e);
handler!(A a, B b, C c, D d, E e, G g);
handler!(A a, B b, C c, D d, E e, G g, H h);
handler!(A a, B b, C c, D d, E e, G g, H h, I i);

/// A handler whose type is forgotten: one box for each call.
pub(crate) type BoxHandler<T> = Arc<dyn Fn(Call) -> BoxFuture<'static, Result<T, ToolError>> + Send + Sync>;

/// Forgets the type of a handler; `convert` makes what it answers into what the method answers.
pub(crate) fn boxed<H, M, T>(
    handler: H,
    convert: impl Fn(H::Output) -> Result<T, ToolError> + Copy + Send + Sync + 'static,
) -> BoxHandler<T>
where
    H: Handler<M>,
    T: Send + 'static,
{
    Arc::new(move |call| {
        let running = handler.run(call);
        Box::pin(async move { convert(running.await?) })
    })
}
