internal import Domain
internal import FoundationEssentials
package import Postgres
package import Secrets
internal import Store
internal import Synchronization

/// The keys of a process, read from the key file at the first use and compared with the database's fingerprints.
///
/// The first process that needs keys on a database without fingerprints creates the file, and says so. From then on, no
/// process makes a second one: a missing or another file is refused.
package final class Keyring: Sendable {
  private let locate: @Sendable () throws -> KeyFile
  private let registered: [KeyFingerprint]?
  private let state = Mutex<State>(State())

  private struct State {
    var keys: Keys?
    /// True if the database has to learn of the keys.
    var isNews = false
  }

  /// - Parameters:
  ///   - registered: the fingerprints in the database; nil if it is not migrated.
  ///   - locate: returns the key file; called at the first use.
  package init(
    registered: [KeyFingerprint]?,
    _ locate: @escaping @Sendable () throws -> KeyFile = { try KeyLocation.file() }
  ) {
    self.registered = registered
    self.locate = locate
  }

  /// Reads the fingerprints of a database.
  package static func open(_ database: Database) async throws -> Keyring {
    Keyring(registered: try await KeyRegistry.read(database))
  }

  /// Returns the keys of a process that runs for long, registered in the database.
  ///
  /// - Throws: as ``keys()``; `unavailable` for a database that is not migrated.
  package static func ready(_ database: Database) async throws -> Keys {
    let ring = try await open(database)
    guard ring.registered != nil else {
      throw DomainError(.unavailable, "the database is not migrated", hint: "run `fettle migrate`")
    }
    _ = try ring.keys()
    try await ring.register(database)
    return try ring.keys()
  }

  /// Returns the keys.
  ///
  /// - Throws: `keyFileMissing` or `keyFileForeign` if the database belongs to other keys; the errors of the file.
  package func keys() throws -> Keys {
    try state.withLock { state in
      if let keys = state.keys { return keys }
      let keys = try read()
      state.keys = keys
      state.isNews = registered.map { !Set($0).isSuperset(of: keys.fingerprints) } ?? false
      return keys
    }
  }

  /// Tells the database of new keys that the process has used. Nothing happens if it used none.
  ///
  /// - Throws: `keyFileForeign` if another process has registered other keys meanwhile.
  package func register(_ database: Database) async throws {
    guard let keys = state.withLock({ $0.isNews ? $0.keys : nil }) else { return }
    try await KeyRegistry.register(keys, database)
    if let other = keys.foreign(to: try await KeyRegistry.read(database) ?? []) {
      throw foreign(other, try locate())
    }
    state.withLock { $0.isNews = false }
  }

  private func read() throws -> Keys {
    let file = try locate()
    let keys = try file.existing() ?? created(file)
    if let other = keys.foreign(to: registered ?? []) { throw foreign(other, file) }
    return keys
  }

  /// Returns new keys if the database belongs to none yet.
  private func created(_ file: KeyFile) throws -> Keys {
    guard let registered, registered.isEmpty, file.origin == .file else { throw missing(file) }
    return try Self.create(file)
  }

  /// Creates the file, and its folder unless somebody chose it.
  package static func create(_ file: KeyFile) throws -> Keys {
    if !file.isChosen, let slash = file.path.lastIndex(of: "/") {
      try FileManager.default.createDirectory(
        atPath: String(file.path[..<slash]),
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    }
    let keys = try file.readOrCreate()
    Message.tell(
      "created the key file \(file.path): keep a copy of it apart from the backups of the database"
    )
    return keys
  }

  private func missing(_ file: KeyFile) -> SecretsError {
    let own = registered?.first.map { ", and the database belongs to one (\($0.purpose) key \($0.short))" }
    return SecretsError(
      .keyFileMissing,
      "there is no key file at \(file.path)\(own ?? "")",
      hint: Self.remedy
    )
  }

  private func foreign(_ key: KeyFingerprint, _ file: KeyFile) -> SecretsError {
    SecretsError(
      .keyFileForeign,
      "the key file \(file.path) is not that of this database: its \(key.purpose) key is not \(key.short)",
      hint: Self.remedy
    )
  }

  /// What an operator can do about a missing or foreign file.
  package static let remedy =
    "set FETTLE_KEY_FILE to the key file of this database, or restore it from your backup; "
    + "if it is lost, `fettle key accept`"
}

extension KeyFile {
  /// Reads the keys; nil if the file does not exist.
  ///
  /// - Throws: as ``read()`` for any other reason.
  package func existing() throws -> Keys? {
    do {
      return try read()
    } catch {
      guard error.kind == .keyFileMissing else { throw error }
      return nil
    }
  }
}
