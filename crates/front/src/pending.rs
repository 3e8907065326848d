//! The future of one request: the answer, once the store gives it.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::op::{Answered, Caller, Op, Submitted};
use crate::shared::Shared;
use crate::sleep::thread;
use crate::turn::{Turn, turn};

/// The answer to one request, when it comes. Nothing is asked before the first poll; a future that is
/// dropped before its answer takes the request back, and gives up if it waits for a lock.
#[must_use = "a request is made when its future is polled"]
pub struct Pending<T> {
    shared: Arc<Shared>,
    stage: Stage,
    /// Whether the request begins a transaction or is one by itself.
    starts: bool,
    answer: PhantomData<fn() -> T>,
}

enum Stage {
    New(Op),
    Waiting(u64),
    Done,
}

impl<T> Pending<T> {
    pub(crate) fn new(shared: Arc<Shared>, op: Op, starts: bool) -> Pending<T> {
        Pending { shared, stage: Stage::New(op), starts, answer: PhantomData }
    }
}

#[allow(private_bounds)]
impl<T: Answered> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let result = match std::mem::replace(&mut this.stage, Stage::Done) {
            Stage::New(op) => {
                let driven = match turn(this.starts) {
                    Turn::Yield => {
                        this.stage = Stage::New(op);
                        return Poll::Pending;
                    }
                    Turn::Go => true,
                    Turn::Free => false,
                };
                // Whoever decides the order stays on one thread.
                let thread = if driven { thread() } else { 0 };
                let caller = Caller { thread, driven, ..Caller::default() };
                this.shared.used();
                let mut state = this.shared.lock();
                match state.submit(op, caller) {
                    Submitted::Now(result) => {
                        this.shared.tell(state);
                        result
                    }
                    Submitted::Later(ticket) => {
                        state.set_waker(ticket, context.waker());
                        if !driven {
                            this.shared.look_after(&mut state);
                        }
                        this.shared.tell(state);
                        this.stage = Stage::Waiting(ticket);
                        return Poll::Pending;
                    }
                }
            }
            Stage::Waiting(ticket) => {
                let mut state = this.shared.lock();
                match state.take(ticket) {
                    Some(result) => result,
                    None => {
                        state.set_waker(ticket, context.waker());
                        this.stage = Stage::Waiting(ticket);
                        return Poll::Pending;
                    }
                }
            }
            Stage::Done => panic!("a request was polled after its answer"),
        };
        Poll::Ready(result.map(T::of))
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if let Stage::Waiting(ticket) = self.stage {
            let mut state = self.shared.lock();
            state.cancel(ticket);
            self.shared.tell(state);
        }
    }
}
