package import FoundationEssentials

/// The hours that one person worked on a maintenance entry.
package struct TimeEntry: RecordFields {
  /// The maintenance entry.
  package let entryID: UUID
  /// The member who worked; nil for a guest, of whom only the name is known.
  package let userID: UUID?
  /// The name that the person had at that time.
  package let userName: String
  /// The date on which the work began, in the company's time zone.
  package let workDate: LocalDate
  /// The start time on that day.
  package let startTime: LocalTime
  /// The end time. If it is earlier than the start time, the work ended on the next day.
  package let endTime: LocalTime
  /// True if half an hour is deducted for lunch.
  package let hasLunch: Bool
  /// The start as an instant; computed in the company's time zone.
  package let startedAt: Instant
  /// The end as an instant; computed in the company's time zone.
  package let endedAt: Instant
  /// The elapsed hours minus the lunch break, 0 to 16, to 0.01; computed.
  package let actualHours: Hours

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case entryID = "entry_id"
    case userID = "user_id"
    case userName = "user_name"
    case workDate = "work_date"
    case startTime = "start_time"
    case endTime = "end_time"
    case hasLunch = "has_lunch"
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
    hasLunch: Bool,
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
    self.hasLunch = hasLunch
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.actualHours = actualHours
  }

  package static let typeName = "maintenance.time_entry"

  package static var columns: [String] { RecordBase.columns + CodingKeys.allCases.map(\.rawValue) }

  /// Returns the recorded times, from which the hours are computed.
  ///
  /// - Throws: `equal_times`.
  package func workedHours() throws(DomainError) -> WorkedHours {
    try WorkedHours(on: workDate, from: startTime, to: endTime, hasLunch: hasLunch)
  }
}
