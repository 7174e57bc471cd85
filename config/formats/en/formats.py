"""Times as all pages write them, with their zone where no script can turn it into the reader's."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i T"
