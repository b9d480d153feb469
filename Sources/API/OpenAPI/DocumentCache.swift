internal import Domain
package import Engine
internal import Postgres
internal import Secrets
internal import Store
internal import Synchronization

/// The document of the installed apps, made again after the catalogue's version has changed.
package final class DocumentCache: Sendable {
  /// The document as it is sent.
  package struct Entry: Sendable {
    /// The document as bytes of JSON.
    package let bytes: [UInt8]
    /// The entity tag, with its quotation marks.
    package let tag: String
  }

  private let services: Services
  private let routes: @Sendable () -> [Route]
  private let state = Mutex<(number: Int64, making: Task<Entry, any Error>)?>(nil)

  /// - Parameter routes: returns all routes of the server.
  package init(_ services: Services, routes: @escaping @Sendable () -> [Route]) {
    self.services = services
    self.routes = routes
  }

  /// Returns the current document.
  package func current() async throws -> Entry {
    let (catalogue, _) = try await services.catalogue.refresh(services.database)
    // Requests that come meanwhile wait for the same document.
    let making = state.withLock { known in
      if let known, known.number == catalogue.number { return known.making }
      let making = Task { [self] in try await make(catalogue) }
      known = (catalogue.number, making)
      return making
    }
    do {
      return try await making.value
    } catch {
      state.withLock { known in
        if known?.making == making { known = nil }
      }
      throw error
    }
  }

  private func make(_ catalogue: TypeCatalogue) async throws -> Entry {
    let document = try await Self.document(services, catalogue, routes())
    let bytes = Array(document.text.utf8)
    let digest = SHA256.hash(bytes).prefix(8).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return Entry(bytes: bytes, tag: "\"\(digest.joined())\"")
  }

  /// Returns the document of the installed apps.
  ///
  /// - Parameter server: the origin of the server; nil for the one that serves the document.
  package static func document(_ services: Services, _ routes: [Route], server: String? = nil) async throws
    -> Document
  {
    let (catalogue, _) = try await services.catalogue.refresh(services.database)
    return try await document(services, catalogue, routes, server: server)
  }

  private static func document(
    _ services: Services,
    _ catalogue: TypeCatalogue,
    _ routes: [Route],
    server: String? = nil
  ) async throws -> Document {
    let choices = try await services.database.transaction(TransactionOptions(readOnly: true)) { tx in
      try tx.rows(ColumnChoices.query, as: ColumnChoices.self)
    }
    return Document(routes, types: catalogue.types, choices: choices, rules: services.rules, server: server)
  }
}
