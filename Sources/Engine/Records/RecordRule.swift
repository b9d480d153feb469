package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// A rule of one record type that needs more than the row: another row, the company's time zone, the actor's name.
///
/// It queues what it must read into the first round trip, and afterwards computes the columns that the engine
/// writes, or refuses.
package struct RecordRule: Sendable {
  /// Computes or refuses, once the reads are there.
  package typealias Verdict = (Access) throws -> JSONObject

  /// Queues the reads for a record with these fields.
  package let check:
    @Sendable (_ fields: JSONObject, _ seat: Seat, _ pipeline: inout Pipeline) throws -> Verdict

  package init(
    _ check:
      @escaping @Sendable (_ fields: JSONObject, _ seat: Seat, _ pipeline: inout Pipeline) throws -> Verdict
  ) {
    self.check = check
  }

  /// The rules that come with the program, by type.
  package static let builtIn: [String: RecordRule] = [
    "maintenance.entry": .maintenanceEntry,
    "maintenance.meter_reading": .meterReading,
    "maintenance.pm_plan": .maintenancePlan,
    "maintenance.time_entry": .timeEntry,
  ]
}
