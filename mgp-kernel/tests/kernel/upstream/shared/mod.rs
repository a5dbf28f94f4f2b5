//! Servers whose process several kernels of one state folder share.

mod calls;
mod definitions;
mod life;
mod messages;
mod support;
