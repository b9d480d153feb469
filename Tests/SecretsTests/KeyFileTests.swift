import Glibc
import Testing

@testable import Secrets

@Suite struct KeyFileTests {
  /// A folder that exists during the test.
  private final class Directory {
    let path: String

    init() throws {
      var template = Array("/tmp/fettle-keys-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
      let made = try #require(mkdtemp(&template))
      path = String(cString: made)
    }

    func names() -> [String] {
      guard let stream = opendir(path) else { return [] }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
      }
      return names.sorted()
    }

    deinit {
      for name in names() { unlink(path + "/" + name) }
      rmdir(path)
    }
  }

  private let directory: Directory
  private let file: KeyFile

  init() throws {
    directory = try Directory()
    file = KeyFile(path: directory.path + "/fettle.key")
  }

  @Test func `keys are made once, readable by their owner alone`() throws {
    let keys = try file.readOrCreate()
    #expect(try file.readOrCreate() == keys)
    #expect(try file.read() == keys)
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(directory.names() == ["fettle.key"], "no temporary file stays behind")
    let all = Keys.Purpose.allCases.map { keys.current($0).bytes }
    #expect(Set(all).count == Keys.Purpose.allCases.count)
    #expect(all.allSatisfy { $0.count == 32 })
  }

  @Test func `two processes creating keys at once get the same keys`() async throws {
    let file = file
    let made = try await withThrowingTaskGroup(of: Keys.self) { group in
      for _ in 0..<16 {
        group.addTask { try file.readOrCreate() }
      }
      return try await group.reduce(into: [Keys]()) { $0.append($1) }
    }
    #expect(made.allSatisfy { $0 == made[0] })
    #expect(directory.names() == ["fettle.key"])
  }

  @Test func `the second process keeps the keys of the first`() throws {
    let first = Keys.random()
    try file.create(first)
    try file.create(Keys.random())
    #expect(try file.read() == first)
    #expect(directory.names() == ["fettle.key"])
  }

  @Test func `reading does not create a missing file`() {
    let error = #expect(throws: SecretsError.self) { try file.read() }
    #expect(error?.kind == .keyFileMissing)
    #expect(directory.names().isEmpty)
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o666] as [mode_t])
  func `a file open to group or others is refused`(mode: mode_t) throws {
    _ = try file.readOrCreate()
    chmod(file.path, mode)
    let error = #expect(throws: SecretsError.self) { try file.read() }
    #expect(error?.kind == .keyFileExposed)
    #expect(error?.hint?.contains("chmod 600") == true)
  }

  @Test func `a rotated key is current and the old one still verifies`() throws {
    var keys = try file.readOrCreate()
    let old = keys.current(.link)
    keys.rotate(.link)
    try file.replace(with: keys)
    let read = try file.read()
    #expect(read.current(.link).number == 2)
    #expect(read.current(.link).bytes != old.bytes)
    #expect(read.version(1, of: .link) == old)
    #expect(read.version(3, of: .link) == nil)
    #expect(read.current(.pepper).number == 1)
  }

  @Test(
    arguments: [
      "", "fettle-keys 2\n", "fettle-keys 1\npepper 1 AAAA\n", "fettle-keys 1\n", "pepper 1\n", "\u{FFFD}",
    ]
  )
  func `a damaged file is refused by line, not by content`(text: String) {
    let error = #expect(throws: SecretsError.self) { try Keys(text: text) }
    #expect(error?.kind == .keyFileMalformed)
    #expect(error?.message.contains("AAAA") == false)
  }

  /// Writes the keys as a version did that did not know the purpose `vault`; returns the text.
  private func writeWithoutVault(_ keys: Keys) throws -> String {
    let lines = keys.text.split(separator: "\n").filter { !$0.hasPrefix("vault") }
    let text = lines.joined(separator: "\n") + "\n"
    let descriptor = open(file.path, O_WRONLY | O_TRUNC)
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
    close(descriptor)
    return text
  }

  @Test func `a file from before a purpose is completed, once`() async throws {
    let keys = try file.readOrCreate()
    _ = try writeWithoutVault(keys)
    let file = file
    let read = try await withThrowingTaskGroup(of: Keys.self) { group in
      for _ in 0..<16 { group.addTask { try file.read() } }
      return try await group.reduce(into: [Keys]()) { $0.append($1) }
    }
    #expect(read.allSatisfy { $0 == read[0] })
    #expect(read[0].current(.pepper) == keys.current(.pepper))
    #expect(read[0].current(.vault) != keys.current(.vault))
    #expect(try file.read() == read[0])
    #expect(directory.names() == ["fettle.key"])
  }

  @Test func `a credential without a new purpose is refused with the line to add`() throws {
    let keys = try file.readOrCreate()
    let old = try writeWithoutVault(keys)
    let error = #expect(throws: SecretsError.self) {
      try KeyFile(path: file.path, origin: .credential).read()
    }
    #expect(error?.kind == .keyFileMalformed && error?.hint?.contains("vault 1") == true)
    #expect(try Keys(text: old).missing == [.vault])
  }

  @Test func `versions must rise`() throws {
    let keys = Keys.random()
    let line = try #require(keys.text.split(separator: "\n").last)
    #expect(throws: SecretsError.self) { try Keys(text: keys.text + line + "\n") }
  }

  @Test func `the environment selects the key file`() throws {
    _ = try file.readOrCreate()
    let here = ["CREDENTIALS_DIRECTORY": directory.path]
    #expect(KeyFile.locate(environment: [:], default: "/d").path == "/d")
    #expect(KeyFile.locate(environment: here, default: "/d") == KeyFile(path: file.path, origin: .credential))
    #expect(KeyFile.locate(environment: ["CREDENTIALS_DIRECTORY": "/nowhere"], default: "/d").path == "/d")
    let both = here.merging(["FETTLE_KEY_FILE": "/k"]) { $1 }
    #expect(KeyFile.locate(environment: both, default: "/d").path == "/k")
  }

  @Test func `a credential may carry the group bits of an access list, nothing more`() throws {
    let keys = try file.readOrCreate()
    let credential = KeyFile(path: file.path, origin: .credential)
    chmod(file.path, 0o440)
    #expect(try credential.readOrCreate() == keys)
    chmod(file.path, 0o444)
    #expect(throws: SecretsError.self) { try credential.read() }
  }

  @Test func `a directory is no key file`() {
    let error = #expect(throws: SecretsError.self) { try KeyFile(path: directory.path).read() }
    #expect(error?.kind == .keyFileUnusable)
  }

  @Test func `no log shows a key`() {
    let keys = Keys.random()
    let secret = Base64.encode(keys.current(.pepper).bytes)
    var dumped = ""
    dump(keys, to: &dumped)
    dump(keys.current(.pepper), to: &dumped)
    #expect(!"\(keys)\(keys.current(.pepper))\(dumped)".contains(secret))
    #expect(!dumped.contains("bytes"))
  }
}
