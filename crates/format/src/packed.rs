//! What gzip and zstd made, unpacked.

use std::io::{self, BufRead, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError::SkipFrame;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

pub(crate) fn gzip(input: impl BufRead) -> impl Read {
    MultiGzDecoder::new(input)
}

pub(crate) fn zstd(input: impl BufRead) -> impl Read {
    Frames { input, decoder: FrameDecoder::new(), within: false }
}

/// A Zstandard file is a sequence of frames; the decoder knows one at a time.
struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    within: bool,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let broken = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        loop {
            if self.within {
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.input, one).map_err(broken)?;
                }
                let count = self.decoder.read(out)?;
                if count > 0 || out.is_empty() {
                    return Ok(count);
                }
                self.within = false;
            }
            if self.input.fill_buf()?.is_empty() {
                return Ok(0);
            }
            match self.decoder.init(&mut self.input) {
                Ok(()) => self.within = true,
                // A frame of another program's data.
                Err(FrameDecoderError::ReadFrameHeaderError(SkipFrame { length, .. })) => {
                    io::copy(&mut self.input.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(broken(error)),
            }
        }
    }
}
