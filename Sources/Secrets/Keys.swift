/// The secret keys that are stored outside the database, each with its earlier versions.
///
/// Rotating a key adds a version. The newest version signs and hashes; what was made with an older version
/// can be verified until that version is removed from the file manually.
package struct Keys: Sendable, Equatable {
  /// The purpose of a key; each key has exactly one.
  package enum Purpose: String, Sendable, CaseIterable {
    /// Mixed into the hashes of invite codes, so that codes cannot be searched for with a copy of the
    /// database alone.
    case pepper
    /// Signs webhooks.
    case webhook
    /// Signs links to files.
    case link
    /// Encrypts the secrets of companies that the database stores.
    case vault
    /// Derives the tokens of mobile sessions, and the tokens against forged requests.
    case session

    /// True for the purposes of the first key files. A file without one of them is damaged; a file without a
    /// later purpose is older than the purpose, and is completed.
    var isOriginal: Bool { [.pepper, .webhook, .link].contains(self) }
  }

  /// One key.
  package struct Version: Sendable, Equatable {
    /// The number of the version, from 1, increased by each rotation; stored with everything that is made
    /// with the key.
    package let number: Int
    /// 32 random bytes.
    package let bytes: [UInt8]
  }

  /// The number of bytes in a key.
  package static let byteCount = 32

  private var versions: [Purpose: [Version]]

  /// Creates new random keys for all purposes.
  package static func random() -> Keys {
    var keys = Keys(versions: [:])
    for purpose in Purpose.allCases {
      keys.rotate(purpose)
    }
    return keys
  }

  private init(versions: [Purpose: [Version]]) {
    self.versions = versions
  }

  /// Returns the newest version of a key.
  package func current(_ purpose: Purpose) -> Version {
    guard let newest = versions[purpose]?.last else {
      preconditionFailure("keys are made, read and completed with a version of every purpose")
    }
    return newest
  }

  /// Returns the key of a version; nil if it was removed or never existed.
  package func version(_ number: Int, of purpose: Purpose) -> Version? {
    all(purpose).first { $0.number == number }
  }

  /// Returns all versions of a key, newest last.
  package func all(_ purpose: Purpose) -> [Version] { versions[purpose, default: []] }

  /// The purposes without a key, which are newer than the file.
  var missing: [Purpose] { Purpose.allCases.filter { versions[$0] == nil } }

  /// Adds a random version, which becomes the current one.
  package mutating func rotate(_ purpose: Purpose) {
    let number = (versions[purpose]?.last?.number ?? 0) + 1
    versions[purpose, default: []].append(Version(number: number, bytes: SecureRandom.bytes(Self.byteCount)))
  }
}

extension Keys {
  private static let header = "fettle-keys 1"

  /// The text of a key file: comments, the version of the format, and one line `purpose version base64` for
  /// each key.
  package var text: String {
    var lines = [
      "# Keys of this Fettle. Whoever reads them can forge its links, webhooks and invite codes.",
      "# The database does not hold them: keep a copy beside your backups.",
      Self.header,
    ]
    for purpose in Purpose.allCases {
      lines += all(purpose).map { "\(purpose.rawValue) \($0.number) \(Base64.encode($0.bytes))" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Parses a key file. Purposes that are newer than the file are ``missing``.
  ///
  /// - Throws: `keyFileMalformed`. The message names the line, never its content.
  package init(text: String) throws(SecretsError) {
    func malformed(_ what: String) -> SecretsError {
      SecretsError(.keyFileMalformed, "the key file is damaged: \(what)", hint: "restore it from your backup")
    }
    var versions: [Purpose: [Version]] = [:]
    var isHeaderSeen = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if !isHeaderSeen {
        guard line == Self.header else { throw malformed("line \(index + 1) is not “\(Self.header)”") }
        isHeaderSeen = true
        continue
      }
      let fields = line.split(separator: " ")
      guard
        fields.count == 3,
        let purpose = Purpose(rawValue: String(fields[0])),
        let number = Int(fields[1]),
        number > versions[purpose]?.last?.number ?? 0,
        let bytes = Base64.decode(String(fields[2])),
        bytes.count == Self.byteCount
      else { throw malformed("line \(index + 1) is not “purpose version base64”") }
      versions[purpose, default: []].append(Version(number: number, bytes: bytes))
    }
    for purpose in Purpose.allCases where purpose.isOriginal && versions[purpose] == nil {
      throw malformed("it has no \(purpose.rawValue) key")
    }
    self.init(versions: versions)
  }
}

extension Keys: CustomStringConvertible, CustomReflectable {
  /// A description without key material.
  package var description: String { "keys (not shown)" }

  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Keys.Version: CustomStringConvertible, CustomReflectable {
  package var description: String { "key version \(number)" }

  package var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}
