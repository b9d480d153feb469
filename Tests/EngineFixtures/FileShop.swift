internal import Apps
internal import Domain
package import Engine
package import FettleTesting
package import Files
package import Foundation
package import Jobs
internal import Secrets
package import Store

/// A ``Workshop`` with a store of files in a temporary folder, and a queue that prepares them.
package struct FileShop: Sendable {
  package static let type = "maintenance.machine"

  package let shop: Workshop
  package let folder: String
  package let store: DiskStore
  /// As `fettle_app`.
  package let services: Services
  package let records: Records
  package let queue: TestQueue
  /// As `fettle_worker`.
  package let workerRecords: Records

  package var attachments: Attachments { Attachments(services, records) }
  package var uploads: Uploads { Uploads(services, records) }

  /// Opens a workshop for one test, and removes the store afterwards.
  package static func open<Value>(
    roles: [String] = ["admin", "user", "viewer"],
    _ body: (FileShop) async throws -> Value
  ) async throws -> Value {
    let shop = try await Workshop.open(roles: roles)
    let folder = "\(NSTemporaryDirectory())/fettle-files-\(UUID().uuidString)"
    // A folder that is left over does no harm.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = DiskStore(path: folder)
    var services = shop.engine.services
    services.blobs = store
    let keys = services.keys
    let queue = TestQueue(
      in: shop.engine.database,
      operatorContext: shop.operatorContext,
      keys: keys,
      rules: CompiledApps.rules
    )
    let worker = Services(database: queue.database, rules: CompiledApps.rules, blobs: store, keys: keys)
    do {
      let value = try await body(
        FileShop(
          shop: shop,
          folder: folder,
          store: store,
          services: services,
          records: try await Records.open(services),
          queue: queue,
          workerRecords: try await Records.open(worker)
        )
      )
      await queue.close()
      return value
    } catch {
      await queue.close()
      throw error
    }
  }

  /// Announces a file of the machine, and sends its bytes in parts of 64 KiB.
  package func add(
    _ bytes: [UInt8],
    _ name: String = "pump.jpg",
    as person: String = "admin",
    id: UUID? = nil,
    size: Int? = nil
  ) async throws -> AttachmentRow {
    let upload = try await uploads.create(
      shop.acting(person),
      Uploads.Request(id: id, type: Self.type, record: shop.machine, kind: "photo", name: name, size: size)
    )
    return try await uploads.send(shop.acting(person), upload.id, Self.parts(bytes), length: size)
  }

  /// Runs the job that prepares a file.
  @discardableResult
  package func prepare(_ file: UUID, images: ImageTool? = ImageTool()) async throws -> TestRun {
    try await queue.run(
      FilePrepareHandler(workerRecords, images: images),
      FilePrepareHandler.Payload(file: file)
    )
  }

  /// Runs the job that removes what nothing needs.
  @discardableResult
  package func purge() async throws -> TestRun {
    try await queue.run(FilePurgeHandler(workerRecords), [:])
  }

  /// The paths of the stored files, relative to the store's folder.
  package var stored: [String] {
    (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// Returns bytes as the parts of a request.
  package static func parts(_ bytes: [UInt8]) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      for start in stride(from: 0, to: bytes.count, by: 65_536) {
        continuation.yield(Array(bytes[start..<min(start + 65_536, bytes.count)]))
      }
      continuation.finish()
    }
  }

  /// Returns bytes that begin as a JPEG and are none.
  package static func fakePhoto(_ size: Int, seed: UInt8 = 0) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0] + (4..<max(4, size)).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ seed }
  }
}
