# Two images from one file:
#   docker build --target web -t fabula .          the site, the job worker and beat
#   docker build --target gpu -t fabula-gpu .      the same with PyTorch, for model runs

FROM python:3.11-slim AS base
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PATH=/opt/venv/bin:$PATH \
    FABULA_VAR=/var/lib/fabula
RUN useradd --system --uid 10001 --home-dir /var/lib/fabula --create-home fabula

FROM base AS packages-web
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/
RUN pip install --no-cache-dir -r /tmp/requirements.txt

FROM packages-web AS packages-gpu
COPY requirements-gpu.txt /tmp/
RUN pip install --no-cache-dir -r /tmp/requirements-gpu.txt

FROM base AS source
WORKDIR /app
COPY . .

FROM source AS web
COPY --from=packages-web /opt/venv /opt/venv
# Not through manage.py, which would start the embedded services for it.
RUN DJANGO_SETTINGS_MODULE=config.settings python -m django collectstatic --noinput
USER fabula
VOLUME /var/lib/fabula
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--no-control-socket", "--workers", "2", "--threads", "8", "--timeout", "60", "--graceful-timeout", "5", "--bind", "0.0.0.0:8000"]

FROM source AS gpu
COPY --from=packages-gpu /opt/venv /opt/venv
USER fabula
VOLUME /var/lib/fabula
CMD ["celery", "--app", "config", "--quiet", "--skip-checks", "worker", "--queues", "gpu,cpu", "--concurrency", "1", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
