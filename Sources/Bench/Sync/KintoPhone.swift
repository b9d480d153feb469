internal import Domain
internal import FoundationEssentials

/// A client of Kinto that sends batches of records, from one thread.
struct KintoPhone {
  let connection: LocalConnection

  /// Sends a batch of new records. Repeats those that Kinto refuses because of concurrent writers.
  ///
  /// - Returns: the number of records.
  func push(_ size: Int) throws -> Int {
    var open = (0..<size).map { _ in UUID() }
    for _ in 0..<100 where !open.isEmpty { open = try send(open) }
    guard open.isEmpty else { throw Tool.Failure(description: "Kinto refused records a hundred times") }
    return size
  }

  /// Stores one record, and repeats the request if Kinto refuses it because of concurrent writers.
  func create(_ id: UUID) throws {
    for _ in 0..<100 {
      let answer = try connection.send(
        "PUT",
        "/v1\(Self.path(id))",
        Array("{\"data\":\(Self.document)}".utf8)
      )
      if answer.status < 300 { return }
      guard answer.status == 409 || answer.status == 503 else {
        throw Tool.Failure(description: "Kinto answered with \(answer.status): \(answer.text.prefix(500))")
      }
    }
    throw Tool.Failure(description: "Kinto refused a record a hundred times")
  }

  /// Sends records as one batch.
  ///
  /// - Returns: the refused ones.
  private func send(_ ids: [UUID]) throws -> [UUID] {
    let requests = ids.map { id in
      "{\"method\":\"PUT\",\"path\":\"/v1\(Self.path(id))\",\"body\":{\"data\":\(Self.document)}}"
    }
    let body = "{\"requests\":[\(requests.joined(separator: ","))]}"
    let answer = try connection.send("POST", "/v1/batch", Array(body.utf8))
    if answer.status == 503 || answer.status == 409 { return ids }
    let responses = try JSONValue(parsing: answer.text).object?["responses"]?.array
    guard let responses, responses.count == ids.count else {
      throw Tool.Failure(description: "Kinto answered with \(answer.status): \(answer.text.prefix(500))")
    }
    return zip(ids, responses).compactMap { id, response in
      response.object?["status"]?.number?.integer.map { $0 < 300 } == true ? nil : id
    }
  }

  private static func path(_ id: UUID) -> String { "\(KintoServer.pushed)/records/\(id.text)" }

  private static let document = """
    {"machine_id":"01890000-0000-7000-8000-000000000001","category_id":"01890000-0000-7000-8000-000000000002",\
    "estimated_hours":1.5,"priority":2,"reported_on":"2026-01-05",\
    "description":"Hydraulic hose leaks at the boom cylinder, replace and test"}
    """
}
