internal import CLibCrypto
internal import Glibc

/// Random bytes from the kernel, fit for keys and tokens.
package enum SecureRandom {
  /// That many bytes from `getrandom(2)`; waits only before the kernel's pool is first seeded.
  ///
  /// A kernel that cannot give random bytes leaves nothing safe to continue with, so the process stops.
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
