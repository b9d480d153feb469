import Files
import Foundation
import Secrets
import Testing

/// The store in a folder.
@Suite struct DiskStoreTests {
  private static func temporary(_ body: (String) async throws -> Void) async throws {
    let folder = "\(NSTemporaryDirectory())/fettle-blobs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private static func content(of folder: String) -> [String] {
    (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted()
  }

  private static func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test func `a folder keeps the contract of stores`() async throws {
    try await Self.temporary { folder in try await StoreContract.check(DiskStore(path: folder)) }
  }

  @Test func `paths consist of ids and digests, and only the owner has access`() async throws {
    try await Self.temporary { folder in
      let store = DiskStore(path: folder)
      let upload = UploadKey(company: UUID(), id: UUID())
      let measured = try await store.put([1, 2, 3], as: upload)
      let company = upload.company.uuidString.lowercased()
      let part = "\(folder)/uploads/\(company)/\(upload.id.uuidString.lowercased())"
      #expect(try Self.mode(part) == 0o600)
      try await store.seal(upload, size: 3, as: measured.digest)
      let hex = Hex.encode(measured.digest)
      let blob = "\(folder)/\(company)/\(hex.prefix(2))/\(hex)"
      #expect(try Self.mode(blob) == 0o600)
      for path in [
        folder, "\(folder)/\(company)", "\(folder)/\(company)/\(hex.prefix(2))", "\(folder)/uploads",
      ] {
        #expect(try Self.mode(path) == 0o700, "\(path)")
      }
      #expect(!FileManager.default.fileExists(atPath: part))
    }
  }

  @Test func `a gap in an upload is refused`() async throws {
    try await Self.temporary { folder in
      let store = DiskStore(path: folder)
      let upload = UploadKey(company: UUID(), id: UUID())
      try await store.append([1], to: upload, at: 0)
      await #expect(throws: FilesError.self) { try await store.append([3], to: upload, at: 2) }
      #expect(try await store.measure(upload, size: 1).head == [1])
    }
  }

  @Test func `a link in the place of a part is not followed`() async throws {
    try await Self.temporary { folder in
      let store = DiskStore(path: folder)
      let upload = UploadKey(company: UUID(), id: UUID())
      try await store.append([1], to: upload, at: 0)
      let part =
        "\(folder)/uploads/\(upload.company.uuidString.lowercased())/\(upload.id.uuidString.lowercased())"
      try FileManager.default.removeItem(atPath: part)
      try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: "/etc/hostname")
      await #expect(throws: FilesError.self) { try await store.append([1], to: upload, at: 0) }
      await #expect(throws: FilesError.self) { try await store.measure(upload, size: 1) }
    }
  }

  @Test func `abandoned parts are swept, recent ones and blobs stay`() async throws {
    try await Self.temporary { folder in
      let store = DiskStore(path: folder)
      let company = UUID()
      let upload = UploadKey(company: company, id: UUID())
      try await store.append([1], to: upload, at: 0)
      #expect(try await store.sweep(company: company, olderThan: 3_600) == 0)
      #expect(try await store.sweep(company: company, olderThan: -10) == 1)
      #expect(try await store.sweep(company: UUID(), olderThan: 0) == 0)
      await #expect(throws: FilesError.self) { try await store.measure(upload, size: 1) }
      #expect(Self.content(of: folder).allSatisfy { !$0.hasSuffix(upload.id.uuidString.lowercased()) })
    }
  }

  @Test func `two companies with the same bytes have two files`() async throws {
    try await Self.temporary { folder in
      let store = DiskStore(path: folder)
      var blobs: [BlobKey] = []
      for upload in [UploadKey(company: UUID(), id: UUID()), UploadKey(company: UUID(), id: UUID())] {
        let measured = try await store.put([9, 9], as: upload)
        try await store.seal(upload, size: 2, as: measured.digest)
        blobs.append(BlobKey(company: upload.company, digest: measured.digest))
      }
      try await store.remove(blobs[0])
      #expect(try await store.read(blobs[1], 0..<2) == [9, 9])
    }
  }
}
