package import Domain
package import Postgres

extension LocalDate {
  /// The date as a value of the database library; throws `invalid_date` if there is no such date.
  package var calendar: CalendarDate {
    get throws {
      guard let date = CalendarDate(year: year, month: month, day: day) else {
        throw DomainError(.invalidDate)
      }
      return date
    }
  }
}

extension LocalTime {
  /// The time as a value of the database library; throws `invalid_time` if there is no such time.
  package var timeOfDay: TimeOfDay {
    get throws {
      guard let time = TimeOfDay(hour: hour, minute: minute) else { throw DomainError(.invalidTime) }
      return time
    }
  }
}
