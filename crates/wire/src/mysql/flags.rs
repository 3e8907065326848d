//! Sets of flags, as MySQL packs them into integers.

/// Defines a set of flags over an integer, with a constant for each flag that has a name.
///
/// Bits without a name are kept: what arrived can be sent on.
macro_rules! flags {
    (
        $(#[$meta:meta])*
        $name:ident($int:ty) {
            $($(#[$doc:meta])* $flag:ident = $bit:expr;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name($int);

        impl $name {
            $($(#[$doc])* pub const $flag: $name = $name(1 << $bit);)*

            /// The set of these bits.
            pub const fn from_bits(bits: $int) -> $name {
                $name(bits)
            }

            /// The bits of the set.
            pub const fn bits(self) -> $int {
                self.0
            }

            /// Whether all flags of the other are in this set.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// The flags that are in this set or the other.
            pub const fn with(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }

            /// The flags of this set that are not in the other.
            pub const fn without(self, other: $name) -> $name {
                $name(self.0 & !other.0)
            }

            /// The flags that are in both.
            pub const fn both(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut set = f.debug_set();
                let mut rest = *self;
                $(
                    if self.contains($name::$flag) {
                        set.entry(&format_args!(stringify!($flag)));
                        rest = rest.without($name::$flag);
                    }
                )*
                if rest.0 != 0 {
                    set.entry(&format_args!("{:#x}", rest.0));
                }
                set.finish()
            }
        }
    };
}

pub(crate) use flags;
