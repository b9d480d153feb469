internal import CLibCrypto
internal import Glibc

/// Random bytes from the kernel, suitable for keys and tokens.
package enum SecureRandom {
  /// Returns bytes from `getrandom(2)`; blocks only until the kernel's pool is first seeded.
  ///
  /// Without random bytes there is no safe way to continue, so the process stops.
  package static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = getrandom(buffer.baseAddress.map { $0 + filled }, count - filled, 0)
        if got > 0 {
          filled += got
        } else if errno != EINTR {
          fatalError("the kernel gives no random bytes (errno \(errno))")
        }
      }
    }
  }
}
