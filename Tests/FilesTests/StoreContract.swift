import Files
import FoundationEssentials
import Secrets
import Testing

/// The rules that every store keeps.
enum StoreContract {
  /// Checks a store. It needs no other content.
  static func check(_ store: any BlobStore) async throws {
    try await store.check()
    let company = UUID()
    let upload = UploadKey(company: company, id: UUID())
    let bytes = (0..<2_097_152).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
    let measured = try await store.put(bytes, as: upload)
    #expect(measured.digest == SHA256.hash(bytes) && measured.size == bytes.count)
    #expect(measured.head == Array(bytes.prefix(65_536)) && measured.tail == Array(bytes.suffix(65_536)))
    let blob = BlobKey(company: company, digest: measured.digest)
    await #expect(throws: FilesError.self, "not readable before it is sealed") {
      try await store.read(blob, 0..<1)
    }
    try await store.seal(upload, size: bytes.count, as: measured.digest)
    try await store.seal(upload, size: bytes.count, as: measured.digest)
    #expect(try await store.read(blob, 1_048_570..<1_048_590) == Array(bytes[1_048_570..<1_048_590]))
    #expect(try await store.read(blob, 2_097_150..<2_097_160).count == 2)
    #expect(try await store.all(blob, size: bytes.count) == bytes)
    await #expect(throws: FilesError.self, "another company") {
      try await store.read(BlobKey(company: UUID(), digest: measured.digest), 0..<1)
    }
    try await store.remove(blob)
    try await store.remove(blob)
    await #expect(throws: FilesError.self, "removed") { try await store.read(blob, 0..<1) }
    try await replace(store, company)
  }

  /// A repeated part replaces the earlier one, and a wrong digest is not sealed.
  private static func replace(_ store: any BlobStore, _ company: UUID) async throws {
    let upload = UploadKey(company: company, id: UUID())
    try await store.append([1, 2, 3, 4], to: upload, at: 0)
    try await store.append([5, 6], to: upload, at: 4)
    try await store.append([7, 8, 9], to: upload, at: 4)
    #expect(try await store.measure(upload, size: 7).head == [1, 2, 3, 4, 7, 8, 9])
    await #expect(throws: FilesError.self) { try await store.measure(upload, size: 8) }
    await #expect(throws: FilesError.self) { try await store.seal(upload, size: 7, as: SHA256.hash("other")) }
    try await store.discard(upload)
    try await store.discard(upload)
    await #expect(throws: FilesError.self) { try await store.measure(upload, size: 7) }
  }
}
