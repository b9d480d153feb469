package import Domain
package import Engine
package import FoundationEssentials
internal import Secrets
internal import Store

/// A recording as phones send it, without an id. The id is derived from what it records, so that a repeated request
/// is the same recording.
package struct PhoneRecording: Sendable {
  private let value: JSONValue?
  private let type: String
  private let quantity: Quantity
  private let takenAt: Instant

  /// - Parameters:
  ///   - value: a number or a text with a number; nil for the newest sample, in a recording that is not manual.
  ///   - timestamp: the time of the reading in ISO 8601.
  /// - Throws: `bad_timestamp`, `missing_fields` or `invalid_number` for the value, `invalid_input` for the quantity
  ///   or the type.
  package init(value: JSONValue?, type: String, timestamp: String, quantity: String?, unit: String?) throws {
    guard ["manual", "auto", "auto_push"].contains(type) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(type)) is not a type of recording",
        hint: "use manual, auto or auto_push"
      )
    }
    self.type = type
    self.quantity = try Quantity(named: quantity, unit: unit)
    do {
      takenAt = try Instant(parsing: timestamp)
    } catch {
      throw DomainError(.badTimestamp, error.message)
    }
    let given = value.flatMap { $0.isNull ? nil : $0 }
    if let given { _ = try Reading(given) }
    if given == nil, type == "manual" {
      throw DomainError(.missingFields, "the value is missing", details: ["fields": ["value"]])
    }
    self.value = given
  }

  /// Stores the recording.
  ///
  /// - Returns: its id, and false if an earlier request stored it.
  /// - Throws: `already_exists` if an earlier request stored another value; the errors of a creation, such as
  ///   `stale_reading`.
  package func store(_ acting: ActingContext, site: UUID, _ records: Records) async throws -> (
    id: UUID, isNew: Bool
  ) {
    let id = id(company: acting.company.id, site: site)
    var fields: JSONObject = [
      "site_id": .string(site.text), "type": .string(type), "quantity": .string(quantity.rawValue),
      "unit": .string(quantity.unit), "taken_at": .string(takenAt.rfc3339),
    ]
    if let value { fields["value"] = value }
    do {
      _ = try await records.create(acting, type: "solar.recording", id: id, fields: fields)
      return (id: id, isNew: true)
    } catch let error as DomainError where [.alreadyExists, .staleReading].contains(error.code) {
      // A repetition that arrives later finds no fresh sample, but its recording.
      guard let stored = try? await records.show(acting, type: "solar.recording", id: id) else { throw error }
      guard let value, let number = try? Reading(value).value else { return (id: id, isNew: false) }
      guard stored["value"]?.number?.canonicalText == number.canonicalText else {
        throw DomainError(
          .alreadyExists,
          "the reading of \(takenAt.rfc3339) was recorded with another value",
          details: ["id": .string(id.text)]
        )
      }
      return (id: id, isNew: false)
    }
  }

  /// Returns the id: UUIDv5 of company, site, type, quantity and time.
  package func id(company: UUID, site: UUID) -> UUID {
    let name = "solar.recording/\(site.text)/\(type)/\(quantity.rawValue)/\(takenAt.microseconds)"
    return UUID.version5(namespace: company, name: name)
  }
}
