//! Which function, operator or aggregate a call means.
