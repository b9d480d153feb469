package import FoundationEssentials

/// Hours that one person worked on one entry.
package struct TimeEntry: RecordFields {
  /// The entry.
  package let entryID: UUID
  /// The member who worked; nil for a guest, who has only a name.
  package let userID: UUID?
  /// The name at that time.
  package let userName: String
  /// The day the work began, in the company's time zone.
  package let workDate: LocalDate
  /// The start time on that day.
  package let startTime: LocalTime
  /// The end time; earlier than the start means the next day.
  package let endTime: LocalTime
  /// True if half an hour is deducted.
  package let lunchBreakDeducted: Bool
  /// The start as an instant; computed by the engine in the company's time zone.
  package let startedAt: Instant
  /// The end as an instant; computed likewise.
  package let endedAt: Instant
  /// Elapsed hours less the break, to 0.01, never negative; computed.
  package let actualHours: Hours

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case entryID = "entry_id"
    case userID = "user_id"
    case userName = "user_name"
    case workDate = "work_date"
    case startTime = "start_time"
    case endTime = "end_time"
    case lunchBreakDeducted = "lunch_break_deducted"
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case actualHours = "actual_hours"
  }

  /// Creates the columns.
  package init(
    entryID: UUID,
    userID: UUID? = nil,
    userName: String,
    workDate: LocalDate,
    startTime: LocalTime,
    endTime: LocalTime,
    lunchBreakDeducted: Bool,
    startedAt: Instant,
    endedAt: Instant,
    actualHours: Hours
  ) {
    self.entryID = entryID
    self.userID = userID
    self.userName = userName
    self.workDate = workDate
    self.startTime = startTime
    self.endTime = endTime
    self.lunchBreakDeducted = lunchBreakDeducted
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.actualHours = actualHours
  }

  package static let typeName = "maintenance.time_entry"

  package static var columns: [String] { RecordBase.columns + CodingKeys.allCases.map(\.rawValue) }

  /// The recorded times, from which the hours are computed.
  package func workedHours() throws(DomainError) -> WorkedHours {
    try WorkedHours(on: workDate, from: startTime, to: endTime, lunchBreakDeducted: lunchBreakDeducted)
  }
}
