package import Domain
package import Postgres

extension LocalDate {
  /// The date as the database library writes it.
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
  /// The time as the database library writes it.
  package var timeOfDay: TimeOfDay {
    get throws {
      guard let time = TimeOfDay(hour: hour, minute: minute) else { throw DomainError(.invalidTime) }
      return time
    }
  }
}
