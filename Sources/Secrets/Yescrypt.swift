internal import CCrypt
internal import CLibCrypto
internal import Glibc

/// The reentrant functions of libcrypt, only for the yescrypt method.
enum Yescrypt {
  private static let prefix = "$y$"

  /// Returns a setting (method, cost, new salt) for a new password.
  ///
  /// - Throws: `libraryFailure` if libcrypt does not support the cost.
  static func setting(cost: Int) throws(SecretsError) -> String {
    guard let setting = setting(cost: cost, salt: SecureRandom.bytes(16)) else {
      throw SecretsError(.libraryFailure, "libcrypt does not support yescrypt with cost \(cost)")
    }
    return setting
  }

  private static func setting(cost: Int, salt: [UInt8]) -> String? {
    guard cost > 0 else { return nil }  // 0 would silently select the library's default
    return salt.withUnsafeBytes { salt in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CRYPT_GENSALT_OUTPUT_SIZE)) { output in
        let made = crypt_gensalt_rn(
          prefix,
          UInt(cost),
          salt.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32(salt.count),
          output.baseAddress,
          Int32(output.count)
        )
        return made.map { String(cString: $0) }
      }
    }
  }

  /// Returns the password's hash under a setting or an existing hash; nil if libcrypt rejects either of them.
  static func hash(_ password: String, setting: String) -> String? {
    guard setting.hasPrefix(prefix), !setting.utf8.contains(0) else { return nil }
    // 32 kB would overflow the stack of a small thread. The password remains in the buffer, so it is erased.
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<crypt_data>.size, alignment: 16)
    memset(scratch, 0, MemoryLayout<crypt_data>.size)
    defer {
      OPENSSL_cleanse(scratch, MemoryLayout<crypt_data>.size)
      scratch.deallocate()
    }
    let hash = crypt_rn(password, setting, scratch, Int32(MemoryLayout<crypt_data>.size))
    return hash.map { String(cString: $0) }
  }

  /// Returns the cost of a hash; nil if it is not a yescrypt hash with libcrypt's own parameters.
  static func cost(of hash: String) -> Int? {
    guard hash.hasPrefix(prefix) else { return nil }
    let parameters = hash.dropFirst(prefix.count).prefix { $0 != "$" }
    return costs[String(parameters)]
  }

  /// The costs by parameter field, obtained from the library instead of decoded here.
  private static let costs: [String: Int] = {
    var costs: [String: Int] = [:]
    for cost in 1...11 {
      guard let setting = setting(cost: cost, salt: [UInt8](repeating: 0, count: 16)) else { continue }
      costs[String(setting.dropFirst(prefix.count).prefix { $0 != "$" })] = cost
    }
    return costs
  }()
}
