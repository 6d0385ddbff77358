//! Work on many things at once, on as many threads as the machine has cores for.

use std::num::NonZero;
use std::thread;

/// Fewer things are done one after the other: starting a thread costs more than they do.
const WORTH_IT: usize = 24;

/// What `work` makes of each item, in their order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(8);
    if items.len() < WORTH_IT || threads == 1 {
        return items.iter().map(work).collect();
    }
    let size = items.len().div_ceil(threads);
    thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = items
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_stays() {
        for count in [0, 1, 23, 24, 1000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                super::map(&items, |item| item * 2),
                (0..count).map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }
}
