internal import CoreCommands
internal import Secrets
internal import Store

/// Compares the key file of this process with the fingerprints in the database, for `fettle doctor`.
enum KeyHealth {
  /// - Parameter registered: the fingerprints in the database; nil if they cannot be read.
  static func finding(_ file: KeyFile, registered: [KeyFingerprint]?) -> HealthFinding {
    let known = registered ?? []
    let keys: Keys?
    do {
      keys = try file.existing()
    } catch {
      let fault = error as? SecretsError
      return HealthFinding("key file", .failed, fault?.message ?? "\(error)", remedy: fault?.hint)
    }
    guard let keys else {
      return known.isEmpty
        ? HealthFinding(
          "key file",
          .warning,
          "there is no key file at \(file.path) yet",
          remedy: "start `fettle work` or `fettle serve`, which creates it, and keep a copy"
        )
        : HealthFinding(
          "key file",
          .failed,
          "there is no key file at \(file.path), and the database belongs to one",
          remedy: Keyring.remedy
        )
    }
    if let other = keys.foreign(to: known) {
      return HealthFinding(
        "key file",
        .failed,
        "\(file.path) is not that of this database: its \(other.purpose) key is not \(other.short)",
        remedy: Keyring.remedy
      )
    }
    let state = known.isEmpty ? "not registered in the database yet" : "that of this database"
    return HealthFinding("key file", .ok, "\(file.path), \(state)")
  }
}
